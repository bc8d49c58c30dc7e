# c = a + b on int16: two vectors in three bundles.
# a1 turns, a2 and a3 sources, a4 destination
        loop a1, end
        F0 { s0 lv2nx8_ip v0, a2, 64; s1 lv2nx8_ip v1, a3, 64; s3 addnx16 v5, v2, v3 }
        F0 { s0 sv2nx8_ip v5, a4, 64; s1 lv2nx8_ip v2, a2, 64; s3 addnx16 v4, v0, v1 }
        F0 { s0 sv2nx8_ip v4, a4, 64; s1 lv2nx8_ip v3, a3, 64 }
end:
