# Copy: one bundle per vector of 64 bytes. The store takes the row that the turn before loaded.
# a1 turns, a2 source, a4 destination
        loop a1, end
        F0 { s0 sv2nx8_ip v0, a4, 64; s1 lv2nx8_ip v0, a2, 64 }
end:
