-- A file of a batch that was removed is named no more: a tenant that is carried away brings the files that its rows name.
alter table mail_batch_files add column file_gone_at timestamptz;
update mail_batch_files as file set file_gone_at = batch.files_removed_at
from mail_batches as batch
where batch.tenant_id = file.tenant_id and batch.id = file.mail_batch_id
  and batch.files_removed_at is not null and file.storage_key is not null;
