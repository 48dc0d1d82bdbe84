import '../styles/tokens.css';
import '../styles/product.css';
import './reference.css';
import './header.css';
import './operations.css';
import './code.css';
import { connectSamples } from './samples.dom.js';
import { connectSearch } from './search.js';
import { connectTheme } from './theme.js';
import { connectRequests } from './try-it.js';

/** The page is complete without this script: it adds what needs one, and then shows the controls for it. */
connectTheme();
connectSamples();
connectSearch();
connectRequests();
document.documentElement.classList.add('scripted');

// On a phone the contents are above the text: they start closed there.
const contents = document.querySelector<HTMLDetailsElement>('.navigation');
if (contents !== null && matchMedia('(max-width: 60rem)').matches) contents.open = false;
