import { Select } from '@mantine/core';

interface Props<Value extends string> {
  label: string;
  value: Value;
  options: { value: Value; label: string }[];
  onChoose: (value: Value) => void;
  isSearchable?: boolean;
}

/** A field with exactly one of some values. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChoose,
  isSearchable = false,
}: Props<Value>) {
  return (
    <Select
      label={label}
      data={options}
      value={value}
      onChange={(chosen) => onChoose((chosen ?? value) as Value)}
      allowDeselect={false}
      searchable={isSearchable}
    />
  );
}
