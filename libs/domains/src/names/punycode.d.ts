/** The package has no types. Its bare name would resolve to the deprecated module of Node. */
declare module 'punycode/punycode.js' {
  const punycode: {
    /** @throws RangeError if the text is not Punycode */
    decode(encoded: string): string;
  };
  export default punycode;
}
