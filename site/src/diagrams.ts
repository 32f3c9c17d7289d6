/** Draws the Mermaid diagrams of a page, in the color scheme that the reader chose. Only a page with a diagram loads Mermaid. */
const root = document.documentElement;
const sources = [...document.querySelectorAll('pre.mermaid')];

async function drawDiagrams(): Promise<void> {
  const { default: mermaid } = await import('mermaid');
  const diagrams = sources.map((source) => {
    const element = document.createElement('div');
    element.className = 'diagram not-content';
    return { source, element, text: source.textContent ?? '' };
  });
  const draw = async () => {
    const scheme = root.dataset['theme'] === 'dark' ? 'dark' : 'light';
    mermaid.initialize({
      startOnLoad: false,
      // The default layout loads 1.5 MB more, and cuts off the lower edge of some diagrams.
      layout: 'dagre',
      theme: scheme === 'dark' ? 'dark' : 'default',
      // Mermaid's gray background of the text on an arrow has too little contrast.
      themeVariables: { edgeLabelBackground: getComputedStyle(document.body).backgroundColor },
    });
    for (const [index, { source, element, text }] of diagrams.entries()) {
      // Mermaid removes an element with this id. The diagram in the other colors stays until this one is ready.
      const { svg } = await mermaid.render(`diagram-${index + 1}-${scheme}`, text);
      element.innerHTML = svg;
      element.dataset['scheme'] = scheme;
      source.replaceWith(element);
    }
  };
  let drawn = draw();
  new MutationObserver(() => {
    drawn = drawn.then(draw);
  }).observe(root, { attributeFilter: ['data-theme'] });
  await drawn;
}

if (sources.length > 0) await drawDiagrams();
