// A page that is opened from a file may not fetch others, which search would do to show excerpts of its results.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
