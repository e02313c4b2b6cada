-- A form that corrects an earlier one may say that nothing was discharged after all.
alter table forms_1099c drop constraint forms_1099c_amount_discharged_check;
alter table forms_1099c add constraint forms_1099c_amount_discharged_check
  check (amount_discharged > 0 or amount_discharged = 0 and is_corrected);
