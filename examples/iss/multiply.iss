# c = low 32 bits of a * b: multiply into an accumulator, pack; two bundles per vector.
# a1 turns, a2 and a3 sources, a4 destination
        loop a1, end
        F0 { s0 lv2nx8_ip v0, a2, 64; s1 lv2nx8_ip v1, a3, 64 }
        F0 { s0 sv2nx8_ip v2, a4, 64; s1 packln_2x96 v2, wv0; s2 muln_2x32 wv0, v0, v1 }
end:
