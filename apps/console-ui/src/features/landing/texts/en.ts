export const en = {
  slogan: 'Call AI models. See what every call costs.',
  pitch:
    'One API for all models of this site, with a prepaid balance and a bill that is exact to the last digit.',
  register: 'Create an account',
  signIn: 'Sign in',
  firstCall: 'Your first call',
  'firstCall.language': 'Language of the example',
  'fact.compatible': 'Works with what you have',
  'fact.compatible.text': 'The API is that of OpenAI. Change the address and the key in your program.',
  'fact.exact': 'No rounding',
  'fact.exact.text': 'Every call is listed with its tokens and its exact cost.',
  'fact.prepaid': 'No surprise',
  'fact.prepaid.text': 'You spend what you have paid in. Each API key can have a limit.',
  prices: 'Models and prices',
  'prices.all': 'All prices',
} as const;
