// Copyright 2026 replan_agent maintainers
// SPDX-License-Identifier: Apache-2.0
// The search runs in a worker, and browsers start none for a page that is opened as a file. Then a
// hidden frame does the work. The offline plugin leaves its own script, from the network, out,
// because "iframe-worker" is in the name of this one.
if (location.protocol === 'file:') {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement('iframe');
      frame.hidden = true;
      frame.srcdoc = '';
      this.ready = new Promise((started) => {
        frame.onload = () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent('message', { data }));
          const script = frame.contentDocument.createElement('script');
          script.src = url;
          script.onload = () => started(inside);
          frame.contentDocument.body.append(script);
        };
      });
      document.body.append(frame);
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent('message', { data })));
    }
  };
}
