# A chain that waits: fp multiply, add, store. Every consumer stands right behind its producer.
        F0 { s0 lv2nx8_i v0, a2, 0 }
        F0 { s3 muln_2xf32 v1, v0, v0 }
        F0 { s3 addn_2xf32 v2, v1, v0 }
        F0 { s0 sv2nx8_i v2, a4, 0 }
