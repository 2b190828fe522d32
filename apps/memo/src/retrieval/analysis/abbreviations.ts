/**
 * English, German, French and Spanish. Abbreviations that often end a sentence, such as `etc.` or `min.`, are
 * excluded.
 */
const WORDS = `
  Mr Mrs Ms Dr Prof Rev Hon Gen Col Maj Capt Lt Sgt Gov Sen Rep St Mt Jr Sr Inc Ltd Co Corp Bros Dept Univ Ave Blvd
  No Nos vs cf al approx Approx incl Incl excl Excl viz resp Fig Figs fig figs Eq Eqs Sec Secs Ch Chap Vol Vols vol Ed Eds
  ed eds pp Ref Refs Ext ext Tel tel max avg
  Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec
  Hr Fr Nr Nrn Art Abs Abb Bd Kap Ziff Anm Str Mio Mrd Jh Std bzw bspw ca Ca vgl Vgl zzgl inkl Inkl exkl ggf Ggf evtl sog
  lt geb Okt Dez Mär
  Mme Mlle MM env av éd réf janv févr avr juil déc
  Sra Srta Sres Dra Ud Uds Vd Vds Lic Ing EE UU núm Núm pág págs aprox Avda ej dpto tfno`;

/**
 * Matches an abbreviation or an initial before a full stop that does not end a sentence. Part of a regular expression
 * with the flag `u`.
 */
export const ABBREVIATION = String.raw`(?<![\p{L}\p{N}])(?:\p{L}|${WORDS.trim().split(/\s+/).join('|')})`;
