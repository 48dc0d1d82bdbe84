import type { Plugin } from 'vite';

/** The palettes of Mantine that no component of the dashboard names. */
const unused = /--mantine-color-(?:pink|grape|violet|indigo|cyan|teal|lime|orange)-[\w-]+:[^;]*;\s*/g;

/** Removes the variables of unused palettes, which are half of Mantine's variables. */
export function reduceVariables(): Plugin {
  return {
    name: 'reduce-variables',
    enforce: 'pre',
    transform: (code, id) => (/default-css-variables\.css$/.test(id) ? code.replaceAll(unused, '') : null),
  };
}
