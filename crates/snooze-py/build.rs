//! Tells the compiler which CPython this is: `Py_3_12`, `Py_GIL_DISABLED` and so on.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
