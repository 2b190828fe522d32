export default { displayName: 'agent-client', preset: '../../jest.preset.js' };
