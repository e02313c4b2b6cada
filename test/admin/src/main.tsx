import { createRoot } from 'react-dom/client';
import {
  Admin,
  Datagrid,
  List,
  ReferenceField,
  Resource,
  SelectInput,
  TextField,
} from 'react-admin';
import { authProvider, dataProvider } from './api.ts';
import { BorrowerCreate, BorrowerEdit, BorrowerList } from './borrowers.tsx';
import { LoanList, LoanShow } from './loans.tsx';

const promiseFilters = [
  <SelectInput key="status" source="status" choices={['pending', 'kept', 'broken']} alwaysOn />,
];

const PromiseList = () => (
  <List filters={promiseFilters} sort={{ field: 'promised_date', order: 'ASC' }}>
    <Datagrid bulkActionButtons={false}>
      <ReferenceField source="borrower_id" reference="borrowers">
        <TextField source="last_name" />
      </ReferenceField>
      <TextField source="promised_date" />
      <TextField source="promised_amount" />
      <TextField source="status" />
    </Datagrid>
  </List>
);

createRoot(document.querySelector('#root') as HTMLElement).render(
  <Admin dataProvider={dataProvider} authProvider={authProvider} requireAuth>
    <Resource
      name="borrowers"
      list={BorrowerList}
      edit={BorrowerEdit}
      create={BorrowerCreate}
      recordRepresentation={({ first_name, last_name }) => `${first_name} ${last_name}`}
    />
    <Resource name="loans" list={LoanList} show={LoanShow} recordRepresentation="loan_number" />
    <Resource name="promises-to-pay" list={PromiseList} options={{ label: 'Promises' }} />
  </Admin>,
);
