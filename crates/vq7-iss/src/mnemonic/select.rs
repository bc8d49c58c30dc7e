//! Selections and shuffles. Source: docs/spec/iss-mnemonics.md.

use super::row::rows;

// name, shape, stage of the result, placement, body, opc#, selector in the home slot, grounds
#[rustfmt::skip]
rows! {
    "SEL2NX8" Vvvv 12 Select7 [leaf "sel_2nx8"] 0 0x66c00000 Reconciled;
    "SELNX16" Vvvv 12 Select7 [leaf "sel_nx16"] 0 0x66d00000 Reconciled;
    "SELN_2X32" Vvvv 12 Select7 [leaf "sel_n_2x32"] 0 0x66e00000 Reconciled;
    "SEL2NX8T" Uvvvb 12 Select7 [leaf "sel_2nx8"] 0 0x80000000 Reconciled;
    "SELNX16T" Uvvvb 12 Select7 [leaf "sel_nx16"] 0 0x80100000 Reconciled;
    "SELN_2X32T" Uvvvb 12 Select7 [leaf "sel_n_2x32"] 0 0x80200000 Reconciled;
    "SHFL2NX8" Vvv 12 Select7 [leaf "shfl_2nx8"] 0 0x82900208 Reconciled;
    "SHFLNX16" Vvv 12 Select7 [leaf "shfl_nx16"] 0 0x8290020a Reconciled;
    "SHFLN_2X32" Vvv 12 Select7 [leaf "shfl_n_2x32"] 0 0x8290020c Reconciled;
    "SEL2NX8I" Vvvi7 12 SelectImmediate9 [unknown] 0 0x66800000 Unknown;
    "SHFL2NX8I" Vvi7 12 SelectImmediate9 [unknown] 0 0x82800208 Unknown;
    "DSELNX16" VVvvv 12 DoubleSelect4 [leaf "dsel_nx16"] 0 0x60000000 Assumed;
    "DSELN_2X32" VVvvv 12 DoubleSelect4 [leaf "dsel_n_2x32"] 0 0x62000000 Assumed;
    "DSEL2NX8I" VVvvi4 12 DoubleSelect4 [unknown] 0 0x64000000 Unknown;
    "DSEL2NX8I_H" VVvvi2 12 DoubleSelect4 [unknown] 0 0x64004000 Unknown;
    "DSELNX16T" UUvvvb 12 DoubleSelect4 [leaf "dsel_nx16"] 0 0x00000000 Assumed;
    "DSELN_2X32T" UUvvvb 12 DoubleSelect4 [leaf "dsel_n_2x32"] 0 0x20000000 Assumed;
    "DCMPRS2NX8" Vvb 12 Expand2 [leaf "dcmprs_2nx8"] 0 0x81000002 Reconciled;
}
