// Copyright: (c) 2026, ccm.core contributors
// SPDX-License-Identifier: Apache-2.0

// Ask goss what it says of files of rules: one JSON document for each, with its results or its error.
// Build it in a module that requires github.com/goss-org/goss v0.4.9.
package main

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/goss-org/goss"
	"github.com/goss-org/goss/util"
)

type answer struct {
	Results []struct {
		Result int    `json:"result"`
		Line   string `json:"summary-line-compact"`
	} `json:"results"`
}

func ask(path string) any {
	var out bytes.Buffer
	config, err := util.NewConfig(util.WithMaxConcurrency(1), util.WithResultWriter(&out), util.WithSpecFile(path))
	if err == nil {
		_, err = goss.Validate(config)
	}
	var found answer
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &found)
	}
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	return found
}

func main() {
	encoder := json.NewEncoder(os.Stdout)
	for _, path := range os.Args[1:] {
		_ = encoder.Encode(ask(path))
	}
}
