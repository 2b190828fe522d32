import { readFileSync } from 'node:fs';

const FONTS = '@expo-google-fonts/noto-sans-sc';

let loaded: { regular: Buffer; bold: Buffer } | undefined;

/** Noto Sans SC, 20 MB; read for the first invoice and kept in memory. */
export function loadInvoiceFonts(): { regular: Buffer; bold: Buffer } {
  return (loaded ??= {
    regular: readFileSync(require.resolve(`${FONTS}/400Regular/NotoSansSC_400Regular.ttf`)),
    bold: readFileSync(require.resolve(`${FONTS}/700Bold/NotoSansSC_700Bold.ttf`)),
  });
}
