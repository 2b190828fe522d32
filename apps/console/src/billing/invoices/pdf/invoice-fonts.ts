import { readFileSync } from 'node:fs';

const REGULAR = require.resolve('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf');
const BOLD = require.resolve('@expo-google-fonts/noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf');

let loaded: { regular: Buffer; bold: Buffer } | undefined;

/** Noto Sans SC, 20 MB; read for the first invoice and kept in memory. */
export function loadInvoiceFonts(): { regular: Buffer; bold: Buffer } {
  return (loaded ??= { regular: readFileSync(REGULAR), bold: readFileSync(BOLD) });
}
