import {
  Create,
  Datagrid,
  Edit,
  List,
  SearchInput,
  SelectInput,
  SimpleForm,
  TextField,
  TextInput,
  required,
} from 'react-admin';

const filters = [
  <SearchInput key="q" source="q" alwaysOn />,
  <SelectInput key="borrower_type" source="borrower_type" choices={['individual', 'business']} />,
];

const fields = (
  <>
    <TextInput source="first_name" validate={required()} />
    <TextInput source="last_name" validate={required()} />
    <TextInput source="date_of_birth" helperText="For example 1980-04-30" />
  </>
);

export const BorrowerList = () => (
  <List filters={filters} sort={{ field: 'last_name', order: 'ASC' }}>
    <Datagrid rowClick="edit">
      <TextField source="first_name" />
      <TextField source="last_name" />
      <TextField source="borrower_type" />
    </Datagrid>
  </List>
);

export const BorrowerEdit = () => (
  <Edit mutationMode="pessimistic">
    <SimpleForm>{fields}</SimpleForm>
  </Edit>
);

export const BorrowerCreate = () => (
  <Create redirect="list">
    <SimpleForm>{fields}</SimpleForm>
  </Create>
);
