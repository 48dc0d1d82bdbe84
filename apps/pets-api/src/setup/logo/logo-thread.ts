/** The thread of logo-writer.ts: decodes one image and writes it again. It and its memory end with the image. */
import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { LogoJob, WrittenLogo } from './logo-writer.js';

/** The part that the thread uses of what Node has too; the API has no types of browsers. */
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object };

/** An image as the decoders create it and the encoder takes it: in browsers, `ImageData`. */
class Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

Object.assign(globalThis, { ImageData: Pixels });

/** Lossless first: a logo has few colours. One that gets too large by that is a picture. */
const encodings = [
  { lossless: 1, quality: 75 },
  { quality: 90 },
  { quality: 75 },
  { quality: 50 },
  { quality: 20 },
] as const;

/** Linux gives each thread its own priority: requests go first. Elsewhere the whole process would have it. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

const { format, bytes, width, height, maxBytes } = workerData as LogoJob;
parentPort?.postMessage(await rewrite());

async function rewrite(): Promise<WrittenLogo> {
  const decode = await loadDecoder();
  const pixels = await decode(Uint8Array.from(bytes).buffer).catch(() => null);
  // A file that says another size than it has is none that we have checked.
  if (pixels === null || pixels.width !== width || pixels.height !== height) return { fault: 'damaged' };
  const encoder = await import('@jsquash/webp/encode.js');
  await encoder.init(moduleOf('@jsquash/webp/codec/enc/webp_enc_simd.wasm'));
  for (const encoding of encodings) {
    const written = await encoder.default(pixels, encoding);
    if (written.byteLength <= maxBytes) return { bytes: new Uint8Array(written) };
  }
  return { fault: 'too_large' };
}

async function loadDecoder(): Promise<(file: ArrayBuffer) => Promise<Pixels>> {
  if (format === 'webp') {
    const decoder = await import('@jsquash/webp/decode.js');
    await decoder.init(moduleOf('@jsquash/webp/codec/dec/webp_dec.wasm'));
    return decoder.default;
  }
  const decoder = await import('@jsquash/png/decode.js');
  await decoder.init(moduleOf('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'));
  return decoder.default;
}

/** The packages load their modules as browsers do. */
function moduleOf(file: string): object {
  return new WebAssembly.Module(readFileSync(fileURLToPath(import.meta.resolve(file))));
}
