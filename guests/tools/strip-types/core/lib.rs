//! swc's removal of types as a library: its source with `../swc.patch`.

include!(env!("SWC_TS_FAST_STRIP"));
