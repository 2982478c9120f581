package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// message is one JSON-RPC message of the client.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// request reports whether the message needs an answer.
func (m *message) request() bool { return m.ID != nil && m.Method != "" }

// The codes of errors, of JSON-RPC and then of the protocol.
const (
	parseError       = -32700
	invalidRequest   = -32600
	methodNotFound   = -32601
	invalidParams    = -32602
	internalError    = -32603
	notInitialized   = -32002
	requestFailed    = -32803
	requestCancelled = -32800
)

// responseError is the error of an answer.
type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func errorf(code int, format string, args ...any) *responseError {
	return &responseError{code, fmt.Sprintf(format, args...)}
}

// responseMessage is the answer to a request; ID is null when the request could not be read.
type responseMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *responseError  `json:"error,omitempty"`
}

// requestMessage is a notification or a request of the server.
type requestMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  any             `json:"params,omitempty"`
}

// readMessage reads the body of a frame.
func readMessage(body []byte) (*message, *responseError) {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '[' && json.Valid(body) {
		return nil, errorf(invalidRequest, "messages are sent one by one, not as a batch")
	}
	if !json.Valid(body) {
		return nil, errorf(parseError, "the message is not JSON")
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, errorf(invalidRequest, "the message is not a request: %v", err)
	}
	if bytes.Equal(m.ID, []byte("null")) {
		m.ID = nil
	}
	if len(m.ID) > 0 && m.ID[0] != '"' && m.ID[0] != '-' && (m.ID[0] < '0' || m.ID[0] > '9') {
		return nil, errorf(invalidRequest, "an id must be a number or a string")
	}
	if m.Method == "" && m.ID == nil {
		return nil, errorf(invalidRequest, "the message has neither a method nor an id")
	}
	return &m, nil
}
