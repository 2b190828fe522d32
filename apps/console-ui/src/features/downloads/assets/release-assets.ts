import { type Asset } from '../release-queries';
import { type Platform, platformKey, platformOf } from './platform';

/** Shared libraries and files beside the programs, such as signatures. */
const IS_LIBRARY = /\.(so|dylib|dll)(\.\d+)*$/i;
const IS_COMPANION = /\.(sha256|sha512|sig|asc|pem|json|txt)$/i;

const rank = ({ name }: Asset) => (IS_COMPANION.test(name) ? 2 : IS_LIBRARY.test(name) ? 1 : 0);

/** The files of one platform, the program first. */
export function assetsFor(assets: Asset[], platform: Platform): Asset[] {
  const key = platformKey(platform);
  return assets
    .filter(({ name }) => {
      const own = platformOf(name);
      return own && platformKey(own) === key;
    })
    .sort((one, other) => rank(one) - rank(other));
}

/** The program among the files of a platform; undefined if there are only libraries. */
export const programOf = (assets: Asset[], platform: Platform): Asset | undefined =>
  assetsFor(assets, platform).find((asset) => rank(asset) === 0);
