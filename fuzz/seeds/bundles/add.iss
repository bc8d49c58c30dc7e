# c = a + b on int16: two bundles per vector.
# a1 turns, a2 and a3 sources, a4 destination (the first row that is stored is the old v2)
        loop a1, end
        F0 { s0 lv2nx8_ip v0, a2, 64; s1 lv2nx8_ip v1, a3, 64 }
        F0 { s0 sv2nx8_ip v2, a4, 64; s3 addnx16 v2, v0, v1 }
end:
