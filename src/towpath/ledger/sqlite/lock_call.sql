-- Selects a provider call that was begun before, with the lease of the job that began it.
select
  call.id, call.status, call.operation_id, call.answer, call.answer_artifact, call.job_id,
  call.lease_epoch, holder.lease_until
from provider_calls as call
left join document_processing_jobs as holder
  on holder.id = call.job_id and holder.lease_epoch = call.lease_epoch
  and holder.status = 'PROCESSING'
where call.org_id = :org_id and call.key = :key;
