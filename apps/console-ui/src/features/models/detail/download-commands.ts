import { type CodeSample } from '../../../components/code/code-samples';
import { type Model } from '../model-queries';

type Package = Pick<Model, 'slug' | 'version' | 'file_name' | 'sha256'>;

const forShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const forPowerShell = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * Downloads a package with an API key, goes on after an interruption, and compares its digest. The key comes from the
 * environment, so that no command holds a secret.
 */
export function downloadCommands(
  consoleUrl: string,
  { slug, version, file_name: file, sha256 }: Package,
): CodeSample[] {
  const path = slug.split('/').map(encodeURIComponent).join('/');
  const url = `${consoleUrl}/api/models/${path}/download?version=${encodeURIComponent(version)}`;
  const download = `curl -f -L -C - -o ${forShell(file)} -H "Authorization: Bearer $API_KEY" \\
  ${forShell(url)}`;
  const check = (program: string) => `echo ${forShell(`${sha256}  ${file}`)} | ${program} -c`;
  return [
    { name: 'Linux', code: `${download}\n${check('sha256sum')}` },
    { name: 'macOS', code: `${download}\n${check('shasum -a 256')}` },
    {
      name: 'Windows',
      code: `curl.exe -f -L -C - -o ${forPowerShell(file)} -H "Authorization: Bearer $env:API_KEY" \`
  ${forPowerShell(url)}
(Get-FileHash ${forPowerShell(file)}).Hash -eq '${sha256}'`,
    },
  ];
}
