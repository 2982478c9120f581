package pages

import (
	"log/slog"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// TestBrowser: a real browser shows the page with its style, follows its policy, and has no complaint.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("make check starts no browser; make test does")
	}
	chromium := machinetest.Need(t, "chromium")
	address := serve(t, Options{Address: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}, Handler(day(t)))
	// The page has no script, so the console has every complaint, such as a style that the policy forbids. --dump-dom prints what was made
	// of the page.
	for path, want := range map[string]string{"/": "wave dc1/2 is under way", "/runs/" + going: "under way"} {
		cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
			"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr",
			"--log-level=0", "--user-data-dir="+t.TempDir(), "--dump-dom", "http://"+address+path)
		var stderr, stdout lines
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		require.NoError(t, cmd.Run(), "%s", stderr)
		require.Contains(t, string(stdout), want)
		require.NotContains(t, string(stderr), "CONSOLE", "%s", stderr)
	}
}

type lines []byte

func (l *lines) Write(p []byte) (int, error) {
	*l = append(*l, p...)
	return len(p), nil
}
