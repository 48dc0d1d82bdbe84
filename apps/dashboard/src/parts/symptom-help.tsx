import { Text } from '@mantine/core';

/** One row of the troubleshooting table: open it when you see the symptom. */
export function SymptomHelp({ symptom, action }: { readonly symptom: string; readonly action: string }) {
  return (
    <details>
      <summary>{symptom}</summary>
      <Text>{action}</Text>
    </details>
  );
}
