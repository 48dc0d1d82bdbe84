import type { Role } from '@pets/contracts';
import { NativeSelect } from '@mantine/core';
import { peopleStrings as text } from './people-strings.js';

interface RoleSelectProps {
  /** Those that the caller may give. */
  readonly roles: readonly Role[];
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

export function RoleSelect({ roles, value, onChange }: RoleSelectProps) {
  return (
    <NativeSelect
      label={text.role}
      value={value}
      onChange={({ currentTarget }) => onChange(roles.find((role) => role === currentTarget.value) ?? value)}
      data={roles.map((role) => ({ value: role, label: `${text.roles[role]}: ${text.roleTexts[role]}` }))}
    />
  );
}
