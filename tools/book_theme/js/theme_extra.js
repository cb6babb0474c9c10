// SPDX-License-Identifier: Apache-2.0
// Tables of pages get the theme's style; wide ones scroll by themselves.
document.querySelectorAll(".rst-content table").forEach((table) => {
  table.classList.add("docutils");
  const box = document.createElement("div");
  box.style.overflowX = "auto";
  table.replaceWith(box);
  box.append(table);
});
