use crate::failure::Failure;
pub(crate) fn compare(_: &crate::cli::Compare) -> Result<(), Failure> {
    Ok(())
}
