/** English texts of a feature by flat keys: `{ 'create.title': 'Create a key', keys_one: '{{count}} key', keys_other: … }`. */
export type EnglishTexts = Record<string, string>;

type Singular = `${string}_one`;
type BaseOf<Name> = Name extends `${infer Base}_${'one' | 'other'}` ? Base : Name;

/** Chinese needs every text but the singular forms, which it does not have. */
export type ChineseTexts<Texts> = { readonly [Name in Exclude<keyof Texts, Singular>]: string };

/** The keys for `t`: plural forms have one key together. */
export type TextKey<Texts> = BaseOf<keyof Texts & string>;

type NameIn<Placeholder extends string> = Placeholder extends `${infer Name},${string}` ? Name : Placeholder;
type NamesIn<Text> = Text extends `${string}{{${infer Placeholder}}}${infer Rest}`
  ? NameIn<Placeholder> | NamesIn<Rest>
  : never;
type TextsUnder<Texts, Key extends string> = Texts[(Key | `${Key}_one` | `${Key}_other`) & keyof Texts];
type ValueOf<Name> = Name extends 'count' ? number : string | number;

/** What `t` takes after the key: the values of the placeholders, if there are any. */
export type ValuesFor<Texts, Key extends string> = [NamesIn<TextsUnder<Texts, Key>>] extends [never]
  ? []
  : [values: { [Name in NamesIn<TextsUnder<Texts, Key>>]: ValueOf<Name> }];

/** The keys of texts without placeholders, for lists of keys. */
export type PlainTextKey<Texts> = {
  [Key in TextKey<Texts>]: ValuesFor<Texts, Key> extends [] ? Key : never;
}[TextKey<Texts>];

/** Returns a text in the chosen language. Keys and placeholders are checked by type. */
export type Translate<Texts> = <Key extends TextKey<Texts>>(
  key: Key,
  ...values: ValuesFor<Texts, Key>
) => string;
