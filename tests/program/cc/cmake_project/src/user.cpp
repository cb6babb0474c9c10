// SPDX-License-Identifier: Apache-2.0
void call_library();
int main() { call_library(); }
