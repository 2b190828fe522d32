// ASCII letters only, so that a word needs no escaping in JSON.
const WORDS_TEXT = `
able about above across act add after again air all along also always and animal answer any appear area
around ask autumn away back base be bear beauty bed before begin behind believe best better between big bird
black blue boat body book both bottom box bread bring brown build busy buy call came can car care carry
cause center certain change check child city class clear close cold color come common complete cook cool
correct could country course cover cross cry cut dark day decide deep develop differ direct distant do dog
done door down draw dream drive dry during each early earth ease east eat effort eight end energy engine
enough equal even evening ever every exact example eye face fact fall family far farm fast feel feet few
field figure final find fine fire first fish five float flow flower fly follow food foot force forest form
forward found four free friend from front full garden gave general gentle get give glass go gold good govern
grand grass great green ground group grow guide half hand happen happy hard harvest has have head hear heart
heat heavy help here high hill history hold home hope horse hot hour house how hundred idea inch island join
journey jump just keep kind king know lake land language large last late laugh lead learn leave left less
letter level life light line list listen little live long look love low machine main make many map mark
market matter mean measure meet melt middle might mile milk`;

/** The 256 lower-case words of all answers. */
export const WORDS: readonly string[] = WORDS_TEXT.trim().split(/\s+/);
