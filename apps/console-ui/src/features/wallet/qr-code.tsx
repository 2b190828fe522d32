import { create } from 'qrcode';
import { useMemo } from 'react';

/** Light modules around the code, as its standard demands. */
const QUIET_MODULES = 4;
/** Chosen: sharp on the screens of phones, and small enough for a page. */
const MODULE_PIXELS = 10;

/**
 * A QR code as a picture (PNG), which a phone can keep and an app can recognise. Always black on white: cameras do not read it
 * otherwise.
 */
export function qrPicture(text: string): string {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = (modules.size + 2 * QUIET_MODULES) * MODULE_PIXELS;
  const drawing = canvas.getContext('2d')!;
  drawing.fillStyle = '#ffffff';
  drawing.fillRect(0, 0, canvas.width, canvas.height);
  drawing.fillStyle = '#000000';
  for (let row = 0; row < modules.size; row += 1)
    for (let column = 0; column < modules.size; column += 1)
      if (modules.get(row, column))
        drawing.fillRect(
          (column + QUIET_MODULES) * MODULE_PIXELS,
          (row + QUIET_MODULES) * MODULE_PIXELS,
          MODULE_PIXELS,
          MODULE_PIXELS,
        );
  return canvas.toDataURL('image/png');
}

interface Props {
  text: string;
  label: string;
  className: string;
}

export default function QrCode({ text, label, className }: Props) {
  const picture = useMemo(() => qrPicture(text), [text]);
  return <img src={picture} alt={label} className={className} />;
}
