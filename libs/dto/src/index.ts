export { field, fieldNamesOf, type FieldOptions } from './fields/field';
export {
  canonicalEmail,
  EMAIL_MESSAGE,
  EmailField,
  inLowerCase,
  MAX_EMAIL_LENGTH,
  typedPlainly,
} from './fields/email-field';
export { InstantField, TimeZoneField } from './fields/instant-field';
export { IntegerField, IntegerParameter } from './fields/other-fields';
export {
  BooleanField,
  FlagParameter,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  TextListField,
} from './fields/other-fields';
export {
  AtLeast,
  AtMost,
  charactersOf,
  ChoiceField,
  IdField,
  LineField,
  nameFault,
  NameText,
  TextField,
} from './fields/text-field';
export {
  RequestValidationPipe,
  validated,
  validatedPath,
  Tolerant,
} from './validation/request-validation.pipe';
export { compileValidator, type Validator } from './validation/compile-validator';
export { type FieldFault, unknownFields } from './validation/field-fault';
export { AsSent } from './validation/known-fields';
export { BodyOneOf } from './validation/body-one-of.decorator';
export { ApiRequestHeaders, RequestHeaders } from './validation/request-headers.decorator';
export {
  CurrencyProperty,
  InstantProperty,
  MoneyProperty,
  NextCursorProperty,
  type PropertyOptions,
} from './properties';
