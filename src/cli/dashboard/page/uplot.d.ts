// The server gives the library's module under this name.
export { default } from 'uplot';
