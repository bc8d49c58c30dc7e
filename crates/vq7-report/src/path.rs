//! What carried out words, for reports.

use serde::Serialize;
use vq7_engine::Path;

/// What carried out a word, and why not another executor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ran {
    /// The executor.
    pub executor: &'static str,
    /// Its kernel, where it has several.
    pub kernel: Option<&'static str>,
    /// The CPU level that the kernel was compiled for.
    pub level: Option<&'static str>,
    /// The executor that was asked and did not take the word.
    pub declined_by: Option<&'static str>,
    /// Why it did not.
    pub why: Option<&'static str>,
    /// Executor and kernel, or why not another executor, in one line.
    pub text: String,
}

impl Ran {
    /// Of a path.
    pub fn new(path: &Path) -> Self {
        Self {
            executor: path.executor,
            kernel: path.kernel,
            level: path.level,
            declined_by: path.declined.map(|declined| declined.executor),
            why: path.declined.map(|declined| declined.why),
            text: path.to_string(),
        }
    }
}

/// The executors of paths, each once; `None` when there are none.
pub(crate) fn executor_names<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for path in paths {
        if !names.contains(&path.executor) {
            names.push(path.executor);
        }
    }
    (!names.is_empty()).then(|| names.join(" and "))
}
