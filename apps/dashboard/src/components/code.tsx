/** Text as it was sent. It scrolls, and so takes the focus. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <pre className="code" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}
