# c = a < b ? 1 : 0 on int16: two vectors in three bundles.
# a1 turns, a2 and a3 sources, a4 destination
        F0 { s1 movvint16 v8, 0 }
        F0 { s1 movvint16 v9, 1 }
        loop a1, end
        F1 { s0 sv2nx8_ip v5, a4, 64; s1 lv2nx8_ip v0, a2, 64; s2 ltnx16 vb1, v2, v3; s3 movvv v4, v8 }
        F1 { s0 lv2nx8_ip v1, a3, 64; s1 lv2nx8_ip v2, a2, 64; s2 movvv v5, v8; s3 mov2nx8t v4, v9, vb0 }
        F1 { s0 sv2nx8_ip v4, a4, 64; s1 lv2nx8_ip v3, a3, 64; s2 ltnx16 vb0, v0, v1; s3 mov2nx8t v5, v9, vb1 }
end:
