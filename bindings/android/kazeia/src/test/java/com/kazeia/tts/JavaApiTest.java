package com.kazeia.tts;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** The engine from Java: no coroutine in sight. */
public class JavaApiTest {
  @Test
  public void speaksWholeAndStreamed() throws Exception {
    SpeechRequest request =
        SpeechRequest.builder("Bonjour Kazeia").voice("ryan").language("french").seed(7).maxFrames(8).build();
    try (TtsEngine engine = TtsEngine.loadBlocking(System.getProperty("kazeia.model"), new EngineOptions(1))) {
      Audio audio = engine.synthesizeBlocking(request);
      List<short[]> chunks = new ArrayList<>();
      Report report = engine.streamBlocking(request, chunks::add);

      assertEquals(FinishReason.LENGTH, report.getFinishReason());
      assertEquals("ryan", report.getVoice());
      short[] joined = new short[audio.getSamples().length];
      int position = 0;
      for (short[] chunk : chunks) {
        System.arraycopy(chunk, 0, joined, position, chunk.length);
        position += chunk.length;
      }
      assertArrayEquals(audio.getSamples(), joined);
      assertTrue(engine.getLanguages().contains("french"));
    }
  }
}
