-- A picture that is here is printed once before letters have it: until then it is pending and has its bytes.
alter table logos drop constraint logos_check;
alter table logos add constraint logos_picture check (
  case status
    when 'ready' then image is not null and content_type is not null
    when 'pending' then (image is null) = (content_type is null)
    else image is null
  end
);
-- One that turns out to be the picture that is here already is not kept.
grant delete on logos to servicing_app;

-- Drawings of before were not tried. Letters go on with the name until they are fetched anew.
update logos
set status = 'failed', image = null,
    problem = 'Drawings are printed once before letters have them: fetch it anew with POST /tenant/logo.'
where status = 'ready' and content_type = 'image/svg+xml';
