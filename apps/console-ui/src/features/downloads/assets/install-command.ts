import { type Asset, type Component } from '../release-queries';
import { type Platform } from './platform';

const forShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const forPowerShell = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Downloads the program and makes it ready to run; an archive is unpacked. */
export function installCommand(component: Component, { url, name }: Asset, { system }: Platform): string {
  if (system === 'windows') {
    const saved = /\.exe$/i.test(name) ? `${component}.exe` : name;
    const download = `curl.exe -f -L -o ${forPowerShell(saved)} ${forPowerShell(url)}`;
    return /\.zip$/i.test(name) ? `${download}\nExpand-Archive ${forPowerShell(saved)}` : download;
  }
  if (/\.(tar\.\w+|tgz)$/i.test(name))
    return `curl -f -L ${forShell(url)} -o ${forShell(name)}\ntar -xf ${forShell(name)}`;
  if (/\.zip$/i.test(name))
    return `curl -f -L ${forShell(url)} -o ${forShell(name)}\nunzip ${forShell(name)}`;
  return `curl -f -L ${forShell(url)} -o ${component}\nchmod +x ${component}`;
}
