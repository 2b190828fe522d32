import { create } from 'qrcode';

/** Light modules around the code, as its standard demands. */
const QUIET_MODULES = 4;

/** A QR code as a drawing. Always black on white: cameras do not read it otherwise. */
export default function QrCode({
  text,
  label,
  className,
}: {
  text: string;
  label: string;
  className: string;
}) {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const side = modules.size + 2 * QUIET_MODULES;
  const dark: string[] = [];
  for (let row = 0; row < modules.size; row += 1)
    for (let column = 0; column < modules.size; column += 1)
      if (modules.get(row, column)) dark.push(`M${column + QUIET_MODULES} ${row + QUIET_MODULES}h1v1h-1z`);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      className={className}
      shapeRendering="crispEdges"
    >
      <path d={dark.join('')} fill="#000000" />
    </svg>
  );
}
