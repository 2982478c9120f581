package picture

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// browser is a session of a real headless Chromium, driven over the W3C WebDriver protocol.
type browser struct {
	t   *testing.T
	url string // of the session
}

// openBrowser starts chromedriver and a Chromium that reaches no network. A machine without them fails the test.
func openBrowser(t *testing.T, flags ...string) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("make check starts no browser; make test does")
	}
	home := t.TempDir()
	driver := exec.Command("chromedriver", "--port=0", "--log-level=SEVERE")
	driver.Env = append(driver.Environ(), "HOME="+home)
	out, err := driver.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, driver.Start(), "the test needs Debian's packages chromium and chromium-driver")
	t.Cleanup(func() {
		driver.Process.Kill() //nolint:errcheck // it may have ended
		driver.Wait()         //nolint:errcheck // killed
	})
	port := ""
	for lines := bufio.NewScanner(out); port == "" && lines.Scan(); {
		if _, rest, found := strings.Cut(lines.Text(), "started successfully on port "); found {
			port = strings.TrimSuffix(rest, ".")
		}
	}
	require.NotEmpty(t, port, "chromedriver says which port it listens on")

	b := &browser{t: t, url: "http://127.0.0.1:" + port}
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--window-size=1400,900", "--user-data-dir=" + home + "/profile", "--proxy-server=127.0.0.1:9",
	}, flags...)
	var session struct {
		SessionID string `json:"sessionId"`
	}
	b.call("POST", "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"goog:chromeOptions": map[string]any{"args": args},
		"goog:loggingPrefs":  map[string]any{"browser": "ALL"},
	}}}, &session)
	b.url += "/session/" + session.SessionID
	t.Cleanup(func() { b.call("DELETE", "", nil, nil) })
	return b
}

// call sends one command and reads its value into out.
func (b *browser) call(method, path string, in, out any) {
	b.t.Helper()
	var body bytes.Buffer
	if in == nil && method == "POST" {
		in = map[string]any{}
	}
	if in != nil {
		require.NoError(b.t, json.NewEncoder(&body).Encode(in))
	}
	request, err := http.NewRequest(method, b.url+path, &body)
	require.NoError(b.t, err)
	client := &http.Client{Transport: &http.Transport{}} // no proxy: the driver is on this machine
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	require.NoError(b.t, err)
	defer response.Body.Close()
	var reply struct {
		Value json.RawMessage `json:"value"`
	}
	require.NoError(b.t, json.NewDecoder(response.Body).Decode(&reply))
	require.Equal(b.t, http.StatusOK, response.StatusCode, "%s %s: %s", method, path, reply.Value)
	if out != nil {
		require.NoError(b.t, json.Unmarshal(reply.Value, out))
	}
}

func (b *browser) open(url string) { b.call("POST", "/url", map[string]any{"url": url}, nil) }

// run runs a script in the page; its value is read into out.
func (b *browser) run(script string, out any, args ...any) {
	b.t.Helper()
	if args == nil {
		args = []any{}
	}
	b.call("POST", "/execute/sync", map[string]any{"script": script, "args": args}, out)
}

// text returns the text a CSS selector's first element shows.
func (b *browser) text(selector string) string {
	b.t.Helper()
	var s string
	b.run("return document.querySelector(arguments[0]).innerText", &s, selector)
	return s
}

// find returns the reference of the first element of a CSS selector.
func (b *browser) find(selector string) map[string]string {
	b.t.Helper()
	var e map[string]string
	b.call("POST", "/element", map[string]any{"using": "css selector", "value": selector}, &e)
	return e
}

func (b *browser) click(selector string) {
	b.t.Helper()
	for _, id := range b.find(selector) {
		b.call("POST", "/element/"+id+"/click", nil, nil)
	}
}

// type types text; "\uE007" is Enter.
func (b *browser) typeKeys(selector, text string) {
	b.t.Helper()
	for _, id := range b.find(selector) {
		b.call("POST", "/element/"+id+"/value", map[string]any{"text": text}, nil)
	}
}

// pointAt moves the mouse to a place of the window, and tells it to do more there.
func (b *browser) pointAt(x, y float64, more ...map[string]any) {
	b.t.Helper()
	steps := append([]map[string]any{{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y), "origin": "viewport"}}, more...)
	b.call("POST", "/actions", map[string]any{"actions": []any{map[string]any{
		"type": "pointer", "id": "mouse", "parameters": map[string]any{"pointerType": "mouse"}, "actions": steps,
	}}}, nil)
}

// errors returns what the console holds above the level of information: failed scripts and violations of the policy.
func (b *browser) errors() []string {
	b.t.Helper()
	var entries []struct{ Level, Message string }
	b.call("POST", "/se/log", map[string]any{"type": "browser"}, &entries)
	var out []string
	for _, e := range entries {
		if e.Level == "SEVERE" || e.Level == "WARNING" {
			out = append(out, fmt.Sprint(e.Level, ": ", e.Message))
		}
	}
	return out
}

// screenshot returns a PNG of the window.
func (b *browser) screenshot() []byte {
	b.t.Helper()
	var s string
	b.call("GET", "/screenshot", nil, &s)
	data, err := base64.StdEncoding.DecodeString(s)
	require.NoError(b.t, err)
	return data
}
