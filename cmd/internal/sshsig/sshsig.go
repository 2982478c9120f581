// Package sshsig verifies a [Signature] that ssh-keygen -Y sign made, and finds its signer among [Signers].
//
// It needs the standard library alone, so that the gate on a device can be a small program.
// The format is PROTOCOL.sshsig of OpenSSH: a signature names its key and a namespace, and covers a hash of the message. Keys are Ed25519,
// ECDSA and RSA, the same keys in a FIDO token, and user certificates. A key in a token signs only when a person touches the token.
package sshsig

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// MaxSize bounds an armored signature in bytes. A certificate of some principals with a key of RSA takes about 4 KiB.
const MaxSize = 64 << 10

const (
	begin = "-----BEGIN SSH SIGNATURE-----"
	end   = "-----END SSH SIGNATURE-----"
	magic = "SSHSIG"
)

// Signature is a detached signature. Its content is untrusted until [Signature.Verify] succeeds.
type Signature struct {
	Namespace string
	Key       *PublicKey // that signed

	hash string // name of the hash algorithm
	blob []byte // signature of the key
}

// Parse reads an armored signature, with white space around it.
func Parse(armored []byte) (*Signature, error) {
	if len(armored) > MaxSize {
		return nil, errors.New("it is no SSH signature: it is larger than 64 KiB")
	}
	lines := strings.Split(strings.TrimSpace(string(armored)), "\n")
	if n := len(lines); n < 2 || strings.TrimSpace(lines[0]) != begin || strings.TrimSpace(lines[n-1]) != end {
		return nil, errors.New("it is no SSH signature: it does not begin and end as ssh-keygen writes one")
	}
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(strings.Join(lines[1:len(lines)-1], " ")), ""))
	if err != nil {
		return nil, errors.New("it is no SSH signature: its base64 is damaged")
	}
	in := wire{rest: data}
	if !bytes.Equal(in.take(len(magic)), []byte(magic)) || in.number() != 1 {
		return nil, errors.New("it is no SSH signature of version 1")
	}
	key := in.text()
	s := &Signature{Namespace: string(in.text())}
	in.text() // reserved
	s.hash, s.blob = string(in.text()), in.text()
	if !in.done() {
		return nil, errors.New("it is a damaged SSH signature")
	}
	s.Key, err = parseKey(key)
	return s, err
}

// Verify returns an error unless the key of the signature signed the message in the namespace. It does not judge the key: see
// [Signers.Find].
func (s *Signature) Verify(message []byte, namespace string) error {
	return s.VerifySums(SumsOf(message), namespace)
}

// Sums are the hashes of a message that a signature may cover.
type Sums struct {
	SHA256 []byte `json:"sha256"`
	SHA512 []byte `json:"sha512"`
}

// SumsOf returns the hashes of a message.
func SumsOf(message []byte) Sums {
	short, long := sha256.Sum256(message), sha512.Sum512(message)
	return Sums{short[:], long[:]}
}

// VerifySums is [Signature.Verify] for a message of which only the hashes are known.
func (s *Signature) VerifySums(sums Sums, namespace string) error {
	if s.Namespace != namespace {
		return fmt.Errorf("it is a signature for %q, not for %q", s.Namespace, namespace)
	}
	var sum []byte
	switch s.hash {
	case "sha512":
		sum = sums.SHA512
	case "sha256":
		sum = sums.SHA256
	default:
		return fmt.Errorf("the hash algorithm %q is unknown", s.hash)
	}
	signed := []byte(magic)
	for _, part := range [][]byte{[]byte(namespace), nil, []byte(s.hash), sum} {
		signed = appendText(signed, part)
	}
	return s.Key.verify(signed, s.blob)
}
