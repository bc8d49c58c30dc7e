# int16 divide: two chains interleaved, four bundles per vector of 32 lanes and no stall.
# a1 turns, a2 dividends, a3 divisors, a4 destination
        loop a1, end
        F2 { s0 sv2nx8_ip v0, a4, 64; s2 divnx16s_4step0 v1, v0, v2, v3, 0 }
        F2 { s0 sv2nx8_ip v4, a4, 64; s2 divnx16s_4step0 v5, v4, v6, v7, 0 }
        F2 { s2 divnx16s_4step v1, v0, v3, 0 }
        F2 { s2 divnx16s_4step v5, v4, v7, 0 }
        F2 { s2 divnx16s_4step v1, v0, v3, 0 }
        F2 { s2 divnx16s_4step v5, v4, v7, 0 }
        F2 { s0 lv2nx8_ip v2, a2, 64; s1 lv2nx8_ip v3, a3, 64; s2 divnx16s_4stepn v1, v0, v3, 0 }
        F2 { s0 lv2nx8_ip v6, a2, 64; s1 lv2nx8_ip v7, a3, 64; s2 divnx16s_4stepn v5, v4, v7, 0 }
end:
