// The address says what is shown: every path gets this page.
document.getElementById('view').textContent = location.pathname;
