import {
  Button,
  Datagrid,
  DateField,
  List,
  ReferenceField,
  ReferenceManyField,
  SelectInput,
  Show,
  SimpleShowLayout,
  TextField,
  TopToolbar,
  useNotify,
  useRecordContext,
  useRefresh,
} from 'react-admin';
import { post } from './api.ts';

const STATUSES = ['pending', 'approved', 'active', 'paid_off', 'charged_off'];
const filters = [<SelectInput key="status" source="status" choices={STATUSES} alwaysOn />];

export const LoanList = () => (
  <List filters={filters} sort={{ field: 'days_past_due', order: 'DESC' }}>
    <Datagrid rowClick="show">
      <TextField source="loan_number" />
      <ReferenceField source="borrower_id" reference="borrowers" link="edit">
        <TextField source="last_name" />
      </ReferenceField>
      <TextField source="status" />
      <TextField source="total_balance" />
      <TextField source="days_past_due" />
      <DateField source="next_payment_date" />
    </Datagrid>
  </List>
);

/** Runs an action of the loan. The message of a refusal says what to do. */
function ActionButton({ label, path, body }: { label: string; path: string; body?: object }) {
  const loan = useRecordContext();
  const [notify, refresh] = [useNotify(), useRefresh()];
  const run = async () => {
    try {
      await post(`/loans/${loan?.id}/${path}`, body);
      notify(`${label}: done`, { type: 'success' });
      refresh();
    } catch (error) {
      notify((error as Error).message, { type: 'error' });
    }
  };
  return <Button label={label} onClick={run} disabled={!loan} />;
}

const Actions = () => (
  <TopToolbar>
    <ActionButton label="Approve" path="approve" />
    <ActionButton
      label="Assess a fee of 10.00"
      path="fees"
      body={{ fee_type: 'other', amount: '10.00' }}
    />
  </TopToolbar>
);

export const LoanShow = () => (
  <Show actions={<Actions />}>
    <SimpleShowLayout>
      <TextField source="loan_number" />
      <TextField source="status" />
      <TextField source="principal_amount" />
      <ReferenceField source="borrower_id" reference="borrowers" link="edit">
        <TextField source="last_name" />
      </ReferenceField>
      <ReferenceManyField label="Fees" reference="fees" target="loan_id">
        <Datagrid bulkActionButtons={false}>
          <TextField source="fee_type" />
          <TextField source="amount" />
          <TextField source="status" />
        </Datagrid>
      </ReferenceManyField>
    </SimpleShowLayout>
  </Show>
);
