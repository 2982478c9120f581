package ssh

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// maxKeySize bounds a key file.
const maxKeySize = 64 << 10

// keyring contains the private keys that this process knows. It reads every file once, and asks for every passphrase once.
type keyring struct {
	ask   func(ctx context.Context, file string) ([]byte, error)
	given []candidate // of Config.Keys
	why   string      // Config.AgentOnly

	mu    sync.Mutex
	files map[string]*key

	asking chan struct{} // allows one question at a time; a channel, so that the wait ends with the context
}

// key is one key file.
type key struct {
	path   string
	pub    ssh.PublicKey
	cert   *ssh.Certificate // certificate in path-cert.pub, or nil
	pem    []byte           // content of an encrypted key
	useful string           // why the file cannot be used; empty: usable
	token  bool             // the private key is in a security key (FIDO)

	mu     sync.Mutex
	signer ssh.AlgorithmSigner // nil: the key is encrypted, or only the public half exists
	locked error               // why the key stays encrypted
}

// candidate is a key to try.
type candidate struct {
	name string // for a person
	pub  ssh.PublicKey
	open func(context.Context) (ssh.AlgorithmSigner, error)
}

func newKeyring(cfg Config) (*keyring, error) {
	ring := &keyring{ask: cfg.Passphrase, why: cfg.AgentOnly, files: make(map[string]*key), asking: make(chan struct{}, 1)}
	for _, text := range cfg.Keys {
		signer, err := ssh.ParsePrivateKey(text)
		if err != nil {
			return nil, fmt.Errorf("a given private key cannot be read: %w", err)
		}
		ring.given = append(ring.given, ready("the given key "+ssh.FingerprintSHA256(signer.PublicKey()), signer))
	}
	return ring, nil
}

// ready returns a candidate that needs no unlocking.
func ready(name string, s ssh.Signer) candidate {
	return candidate{name, s.PublicKey(), func(context.Context) (ssh.AlgorithmSigner, error) { return s.(ssh.AlgorithmSigner), nil }}
}

// file reads a key file; nil: the file does not exist.
func (r *keyring) file(path string) *key {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.files[path]
	if !ok {
		if k = nil; r.why != "" {
			k = publicHalf(path, r.why)
		} else {
			k = readKey(path)
		}
		r.files[path] = k
	}
	return k
}

func readKey(path string) *key {
	data, err := readLimited(path, maxKeySize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	k := &key{path: path}
	if err != nil {
		k.useful = cause(err)
		return k
	}
	if pub, _, _, _, err := ssh.ParseAuthorizedKey(data); err == nil {
		k.pub = pub // the public half, of a key that the agent holds
		k.useful = "it is a public key, and the agent does not hold the private one"
		return k
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		k.useful = fmt.Sprintf("others may read it (mode %04o); chmod 600 it", info.Mode().Perm())
		return k
	}
	if inToken(data) {
		k.token = true
		k.useful = "it is in a security key; ssh-add it, or name it with IdentityFile so that ssh carries the session"
		k.pub = readPublic(path + ".pub")
		return k
	}
	signer, err := ssh.ParsePrivateKey(data)
	var locked *ssh.PassphraseMissingError
	switch {
	case err == nil:
		k.pub, k.signer = signer.PublicKey(), signer.(ssh.AlgorithmSigner)
	case errors.As(err, &locked):
		k.pem, k.pub = data, locked.PublicKey
		if k.pub == nil {
			k.pub = readPublic(path + ".pub")
		}
		if k.pub == nil {
			k.useful = "it is encrypted in the old PEM form, and there is no " + path + ".pub beside it"
			return k
		}
	default:
		k.useful = cause(err)
		return k
	}
	if cert, ok := readPublic(path + "-cert.pub").(*ssh.Certificate); ok && string(cert.Key.Marshal()) == string(k.pub.Marshal()) {
		k.cert = cert
	}
	return k
}

// inToken reports whether a private key file of OpenSSH refers to a key inside a security key. The type of such a key begins with sk-.
func inToken(data []byte) bool {
	const magic = "openssh-key-v1\x00"
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "OPENSSH PRIVATE KEY" || !bytes.HasPrefix(block.Bytes, []byte(magic)) {
		return false
	}
	var file struct {
		Cipher, KDF, Options string
		Keys                 uint32
		Public               []byte
		Rest                 []byte `ssh:"rest"`
	}
	var public struct {
		Type string
		Rest []byte `ssh:"rest"`
	}
	return ssh.Unmarshal(block.Bytes[len(magic):], &file) == nil && ssh.Unmarshal(file.Public, &public) == nil &&
		strings.HasPrefix(public.Type, "sk-")
}

// readPublic reads a public key or certificate; nil: the file does not exist.
func readPublic(path string) ssh.PublicKey {
	data, err := readLimited(path, maxKeySize)
	if err != nil {
		return nil
	}
	pub, _, _, _, err := ssh.ParseAuthorizedKey(data)
	if err != nil {
		return nil
	}
	return pub
}

// maxGuesses is the number of allowed tries for a passphrase.
const maxGuesses = 3

// unlock returns the private key. If the key has a passphrase, unlock asks for it.
func (r *keyring) unlock(ctx context.Context, k *key) (ssh.AlgorithmSigner, error) {
	if signer, err := k.state(); signer != nil || err != nil {
		return signer, err
	}
	select {
	case r.asking <- struct{}{}:
		defer func() { <-r.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for guess := 1; ; guess++ {
		if signer, err := k.state(); signer != nil || err != nil {
			return signer, err
		}
		phrase, err := r.ask(ctx, k.path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			k.settle(nil, fmt.Errorf("no passphrase was given: %w", err))
			continue
		}
		signer, err := ssh.ParsePrivateKeyWithPassphrase(k.pem, phrase)
		clear(phrase)
		switch {
		case err == nil:
			k.settle(signer.(ssh.AlgorithmSigner), nil)
		case guess == maxGuesses:
			k.settle(nil, errors.New("the passphrase was wrong"))
		}
	}
}

// state returns the signer or the error of a key. Both are nil for a locked key.
func (k *key) state() (ssh.AlgorithmSigner, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.signer, k.locked
}

func (k *key) settle(signer ssh.AlgorithmSigner, locked error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.signer, k.locked = signer, locked
}

// attempt is one login: the keys to try, and their results.
type attempt struct {
	candidates []candidate
	begun      bool     // the server has received a login request, and has listed its methods
	methods    []string // methods that the server accepts
	tried      []string
	unused     []string // keys that could not be tried, with the reason
	why        string   // Config.AgentOnly
}

// prepare lists the keys for a login in the order of ssh: given keys, keys of the agent that l names, other keys of the agent, key files.
// The agent must stay open until the end of the login.
func (r *keyring) prepare(l *login, held agent.ExtendedAgent, agentErr error) *attempt {
	a := &attempt{why: r.why}
	a.offer(r.given...)
	if agentErr != nil {
		a.unused = append(a.unused, fmt.Sprintf("the agent (%s)", cause(agentErr)))
	}
	var ours []*key
	for _, f := range l.keys {
		if k := r.file(f.path); k != nil {
			ours = append(ours, k)
		} else if f.asked {
			a.unused = append(a.unused, f.path+" (it does not exist)")
		}
	}

	var certs []*ssh.Certificate
	for _, f := range l.certs {
		if cert, ok := readPublic(f.path).(*ssh.Certificate); ok {
			certs = append(certs, cert)
		} else {
			a.unused = append(a.unused, f.path+" (it is not a certificate that can be read)")
		}
	}

	var signed, named, others []candidate
	if held != nil {
		signers, err := held.Signers()
		if err != nil {
			a.unused = append(a.unused, fmt.Sprintf("the agent (%s)", cause(err)))
		}
		for _, s := range signers {
			c := ready("the agent's key "+ssh.FingerprintSHA256(plain(s.PublicKey())), s)
			for _, cert := range certs {
				if same(cert, s.PublicKey()) {
					signed = append(signed, candidate{"the certificate " + cert.KeyId + " with " + c.name, cert, c.open})
				}
			}
			if slices.ContainsFunc(ours, func(k *key) bool { return k.pub != nil && same(k.pub, s.PublicKey()) }) {
				named = append(named, c)
			} else if !l.only {
				others = append(others, c)
			}
		}
	}
	a.offer(slices.Concat(signed, named, others)...)
	for _, k := range ours {
		switch {
		case k.pub != nil && slices.ContainsFunc(named, func(c candidate) bool { return same(k.pub, c.pub) }):
		case k.useful != "":
			a.unused = append(a.unused, fmt.Sprintf("%s (%s)", k.path, k.useful))
		case k.pem != nil && r.ask == nil:
			a.unused = append(a.unused, k.path+" (it is encrypted and rocec cannot ask for its passphrase here; ssh-add it first)")
		default:
			a.add(r, k, certs)
		}
	}
	return a
}

// offer adds keys to the list, except RSA keys that are too short.
func (a *attempt) offer(list ...candidate) {
	for _, c := range list {
		if why := short(c.pub); why != "" {
			a.unused = append(a.unused, fmt.Sprintf("%s (%s; make another with `ssh-keygen -t ed25519`)", c.name, why))
			continue
		}
		a.candidates = append(a.candidates, c)
	}
}

// add adds the certificates of a key file and the key itself to the list.
func (a *attempt) add(r *keyring, k *key, certs []*ssh.Certificate) {
	open := func(ctx context.Context) (ssh.AlgorithmSigner, error) { return r.unlock(ctx, k) }
	for _, cert := range certs {
		if same(cert, k.pub) {
			a.offer(candidate{"the certificate " + cert.KeyId + " with " + k.path, cert, open})
		}
	}
	if k.cert != nil {
		a.offer(candidate{k.path + "-cert.pub", k.cert, open})
	}
	a.offer(candidate{k.path, k.pub, open})
}

// plain returns the key inside a certificate, or the key itself.
func plain(k ssh.PublicKey) ssh.PublicKey {
	if cert, ok := k.(*ssh.Certificate); ok {
		return cert.Key
	}
	return k
}

func same(a, b ssh.PublicKey) bool {
	return string(plain(a).Marshal()) == string(plain(b).Marshal())
}

// next is the ssh.ClientAuthCallback. It offers one key at a time, so that a key that fails to sign does not end the login.
func (a *attempt) next(ctx context.Context, clock *clock) ssh.ClientAuthCallback {
	return func(now *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
		a.begun, a.methods = true, now.AllowedMethods
		if len(a.candidates) == 0 || !slices.Contains(now.AllowedMethods, "publickey") {
			return nil, nil
		}
		c := a.candidates[0]
		a.candidates = a.candidates[1:]
		a.tried = append(a.tried, c.name)
		return ssh.PublicKeys(&patient{c, a, ctx, clock}), nil
	}
}

// refused returns why the server refused the login.
func (a *attempt) refused(l *login, err error) error {
	text := fmt.Sprintf("%s does not let %q in with the available keys", l, l.user)
	switch {
	case len(a.methods) > 0 && !slices.Contains(a.methods, "publickey"):
		text = fmt.Sprintf("%s lets %q in by %s only, and rocec logs in with keys", l, l.user, said(strings.Join(a.methods, ", ")))
	case len(a.tried) == 0 && a.why != "":
		text = fmt.Sprintf("there is no key to log in to %s with: %s; ssh-add one", l, a.why)
	case len(a.tried) == 0:
		text = fmt.Sprintf("there is no key to log in to %s with; name one with IdentityFile in ~/.ssh/config, or ssh-add one", l)
	default:
		text += "; tried: " + strings.Join(a.tried, ", ")
	}
	if strings.Contains(err.Error(), "no common public key signature algorithm") {
		text += "; it accepts RSA keys only with SHA-1, which is not safe: log in with an Ed25519 or ECDSA key"
	}
	if len(a.unused) > 0 {
		text += "; not tried: " + strings.Join(a.unused, ", ")
	}
	var told *net.OpError
	if !errors.As(err, &told) && strings.Contains(err.Error(), "disconnect") {
		text += "; it says: " + cause(err)
		if len(a.tried) >= 5 {
			text += "; name the right key with IdentityFile, and set IdentitiesOnly yes"
		}
	}
	return failure(ErrLogin, err, "%s", text)
}

// patient signs with a candidate. It stops the time limit of the handshake meanwhile, because a person may have to type a passphrase or
// touch a security key.
type patient struct {
	candidate
	attempt *attempt
	ctx     context.Context
	clock   *clock
}

// PublicKey implements ssh.Signer.
func (p *patient) PublicKey() ssh.PublicKey { return p.pub }

// Algorithms implements ssh.MultiAlgorithmSigner. Without it, a server that names no algorithms gets SHA-1 signatures of RSA keys.
func (p *patient) Algorithms() []string { return signatures(p.pub) }

// Sign implements ssh.Signer.
func (p *patient) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return p.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm implements ssh.AlgorithmSigner.
func (p *patient) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	p.clock.stop()
	defer p.clock.start()
	signer, err := p.open(p.ctx)
	var sig *ssh.Signature
	if err == nil {
		sig, err = signer.SignWithAlgorithm(rand, data, algorithm)
	}
	if err != nil {
		a := p.attempt
		a.tried = a.tried[:len(a.tried)-1]
		a.unused = append(a.unused, fmt.Sprintf("%s (%s)", p.name, cause(err)))
	}
	return sig, err
}
