// Draws each [data-chart] with Plotly, in the colours of the theme, and again when it changes.
// Heatmaps are not for here: Plotly gives them a style attribute, which the security policy forbids.
"use strict";

(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  // A token as a colour that Plotly understands: the browser resolves light and dark.
  function colours() {
    const probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
    const known = new Map();
    const of = (token) => {
      if (!known.has(token)) {
        probe.style.color = `var(${token})`;
        known.set(token, getComputedStyle(probe).color);
      }
      return known.get(token);
    };
    return { of, end: () => probe.remove() };
  }

  function coloured(value, of) {
    if (typeof value === "string") return value.startsWith("--") ? of(value) : value;
    if (Array.isArray(value)) return value.map((one) => coloured(one, of));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, coloured(one, of)]));
    }
    return value;
  }

  function axis(of, own = {}) {
    return {
      automargin: true,
      color: of("--text-3"),
      gridcolor: of("--line"),
      linecolor: of("--line-2"),
      zerolinecolor: of("--line-2"),
      fixedrange: true,
      ...own,
    };
  }

  function layout(own, of) {
    const axes = Object.fromEntries(
      Object.keys({ xaxis: 1, yaxis: 1, ...own }).filter((key) => /^[xy]axis/.test(key)).map((key) => [key, axis(of, own[key])]),
    );
    const hover = { bgcolor: of("--bg-sub"), bordercolor: of("--line-2"), font: { color: of("--text") } };
    return {
      margin: { t: 8, r: 8, b: 32, l: 40 },
      paper_bgcolor: "transparent",
      plot_bgcolor: "transparent",
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: of("--text-2") },
      hoverlabel: hover,
      showlegend: false,
      bargap: 0.08,
      ...own,
      ...axes,
    };
  }

  function draw(chart) {
    const figure = JSON.parse(document.getElementById(chart.dataset.chart).textContent);
    const area = chart.querySelector(".chart-area");
    const palette = colours();
    const { data, layout: own = {} } = coloured(figure, palette.of);
    const whole = layout(own, palette.of);
    palette.end();
    if (still.matches) whole.transition = { duration: 0 };
    if (!area.matches(".js-plotly-plot")) area.replaceChildren();
    window.Plotly.react(area, data, whole, { displayModeBar: false, responsive: true });
    if (!area.dataset.opens) {
      area.dataset.opens = "yes";
      area.on("plotly_click", open);
      widths.observe(area);
    }
  }

  function open(event) {
    const address = event.points[0]?.customdata;
    if (typeof address === "string" && address.startsWith("/")) location.assign(address);
  }

  // The page gets narrower without the window doing so: beside the drawer.
  const widths = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.matches(".js-plotly-plot")) window.Plotly.Plots.resize(target);
    }
  });

  const drawAll = () => document.querySelectorAll("[data-chart]").forEach(draw);
  document.addEventListener("DOMContentLoaded", drawAll);
  document.addEventListener("htmx:after:swap", drawAll);
  dark.addEventListener("change", drawAll);
})();
