-- Of each kind of message a program has one template for a channel and a language, so that nobody has to
-- guess which is sent. What is custom is sent by its id, and told apart by its name.

-- Until now the newest was sent. The others are archived, and what answered with them answers with it.
create temporary table superseded as
  select tenant_id, id, first_value(id) over same as by_id
  from communication_templates
  where not is_archived and template_type <> 'custom'
  window same as (
    partition by tenant_id, program_id, template_type, channel, language
    order by is_active desc, created_at desc, id desc
  );
update auto_responses as rule set response_template_id = superseded.by_id
from superseded
where rule.tenant_id = superseded.tenant_id and rule.response_template_id = superseded.id
  and superseded.id <> superseded.by_id;
update communication_templates as template set is_archived = true
from superseded
where template.tenant_id = superseded.tenant_id and template.id = superseded.id
  and superseded.id <> superseded.by_id;
drop table superseded;

drop index communication_templates_tenant_id_name_key;
create unique index communication_templates_one_of_a_kind on communication_templates
  (tenant_id, program_id, template_type, channel, language) nulls not distinct
  where not is_archived and template_type <> 'custom';
create unique index communication_templates_tenant_id_name_key on communication_templates
  (tenant_id, program_id, channel, language, name) nulls not distinct
  where not is_archived and template_type = 'custom';
