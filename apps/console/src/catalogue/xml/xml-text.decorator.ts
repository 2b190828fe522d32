import { ValidateBy } from 'class-validator';
import { isXmlText } from './escape-xml';

/** Property decorator: refuses texts with characters that XML cannot represent. */
export const XmlText = (): PropertyDecorator =>
  ValidateBy({
    name: 'isXmlText',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isXmlText(value),
      defaultMessage: () => 'must not contain control characters other than tabs and line breaks',
    },
  });
